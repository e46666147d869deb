# SPDX-License-Identifier: Apache-2.0
# The version: ORR_NUMBERS is what the file VERSION says ("0.2.0"); ORR_VERSION is what the program and the packages say.
#
# On the commit that is tagged v0.2.0 both are 0.2.0. Five commits later, ORR_VERSION is 0.2.0+5.g1a2b3c4, from `git describe`. A clone without a tag
# counts from the commit that wrote this version into VERSION, which is the release. Both are equal if there is no git or no whole history (a tarball, a
# shallow clone), and where the last tag is of another version than VERSION.
#
#     cmake -DSOURCE=FOLDER -P cmake/version.cmake       prints ORR_VERSION
if(NOT DEFINED SOURCE)
    set(SOURCE ${CMAKE_CURRENT_LIST_DIR}/..)
endif()
file(STRINGS ${SOURCE}/VERSION ORR_NUMBERS LIMIT_COUNT 1)
set(ORR_VERSION ${ORR_NUMBERS})
if(EXISTS ${SOURCE}/.git)
    find_program(GIT git)
    if(GIT)
        execute_process(COMMAND ${GIT} -C ${SOURCE} describe --tags --match v[0-9]* OUTPUT_VARIABLE described RESULT_VARIABLE status
            OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
        if(NOT status EQUAL 0) # no tag
            execute_process(COMMAND ${GIT} -C ${SOURCE} log -1 --format=%H -S${ORR_NUMBERS} -- VERSION OUTPUT_VARIABLE release OUTPUT_STRIP_TRAILING_WHITESPACE
                ERROR_QUIET)
            execute_process(COMMAND ${GIT} -C ${SOURCE} rev-list --count ${release}..HEAD OUTPUT_VARIABLE since OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
            execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --is-shallow-repository --short HEAD OUTPUT_VARIABLE head RESULT_VARIABLE status
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
            if(release AND since GREATER 0 AND head MATCHES "^false\n(.+)$")
                set(described v${ORR_NUMBERS}-${since}-g${CMAKE_MATCH_1})
            endif()
        endif()
        string(REPLACE "." "\\." pattern ${ORR_NUMBERS})
        if(status EQUAL 0 AND described MATCHES "^v${pattern}-([0-9]+)-(g[0-9a-f]+)$")
            set(ORR_VERSION ${ORR_NUMBERS}+${CMAKE_MATCH_1}.${CMAKE_MATCH_2})
        endif()
    endif()
endif()
if(CMAKE_SCRIPT_MODE_FILE)
    execute_process(COMMAND ${CMAKE_COMMAND} -E echo ${ORR_VERSION})
endif()
