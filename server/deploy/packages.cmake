# SPDX-License-Identifier: Apache-2.0
# Debian packages by `cpack`: orrery (program, page, unit, manual page, completion), liborrery0.2, liborrery-dev.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME orrery)
set(CPACK_PACKAGE_VERSION ${ORR_VERSION})
set(CPACK_PACKAGE_CONTACT "Orrery <orrery@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program library development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME orrery)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS fonts-dejavu-core)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "shows how NCCL sees a machine
From a topology dump, Orrery recomputes what a chosen NCCL release decides:
paths, P2P and GPUDirect RDMA, channels, rings and trees over several hosts,
tuning. As JSON, as diagrams, as a web page and a service. No GPU is needed.")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/server/deploy/postinst ${CMAKE_SOURCE_DIR}/server/deploy/prerm)

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME liborrery${ORR_SOVERSION})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "shows how NCCL sees a machine: library
What a chosen NCCL release decides on a machine, recomputed from its topology
dump.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME liborrery-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "liborrery${ORR_SOVERSION} (= ${ORR_VERSION}-1)")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "shows how NCCL sees a machine: header
Header and pkg-config file of liborrery.")
include(CPack)
