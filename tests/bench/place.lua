-- SPDX-License-Identifier: Apache-2.0
-- Requests for place that differ: random free GPUs of 8, counts and lengths of the answer, about the topology that the environment names.
local path = "/v1/topologies/" .. os.getenv("PLACE_ID") .. "/place?release=" .. os.getenv("PLACE_RELEASE")

function init()
    math.randomseed(os.time())
end

function request()
    local free = {}
    for gpu = 0, 7 do
        if math.random() < 0.7 then
            free[#free + 1] = gpu
        end
    end
    if #free == 0 then
        free[1] = 0
    end
    return wrk.format("GET", path .. "&count=" .. math.random(#free) .. "&free=" .. table.concat(free, ",") .. "&top=" .. math.random(200))
end
