-- SPDX-License-Identifier: Apache-2.0
-- The mix of ./dev load, for wrk: 90 % a cached analysis, 5 % dumps not seen before (upload, then their analysis), 5 % drawings, a fifth of
-- them of dumps not seen before. Settings come from load.py by the environment.
local ident, dump = os.getenv("LOAD_ID"), ""
local views = {"view=system", "view=ring&channel=%d", "view=tree&channel=%d", "view=path&from=rank:0&to=rank:%d"}
local threads, thread_count = {}, 0

function setup(thread)
    thread:set("number", thread_count)
    table.insert(threads, thread)
    thread_count = thread_count + 1
end

function init()
    local file = io.open(os.getenv("LOAD_DUMP"), "rb")
    dump = file:read("*a")
    file:close()
    math.randomseed(1 + number)
    uploads, drawings, bad, fresh = 0, 0, 0, {}
    cached = wrk.format("GET", "/v1/topologies/" .. ident .. "/analysis")
end

function request()
    local dice = math.random()
    if #fresh > 0 and dice < 0.6 then -- the analysis that goes with an upload; it counts with it
        local location = table.remove(fresh)
        return wrk.format("GET", location .. (math.random() < 0.8 and "/analysis" or "/diagram.svg"))
    end
    dice = math.random()
    if dice < 0.05 then
        uploads = uploads + 1
        local name = string.format("0x%d%09d", number + 1, uploads)
        return wrk.format("POST", "/v1/topologies?label=host%3Dload", {["Content-Type"] = "application/xml"}, (dump:gsub("LOADNONCE", name)))
    elseif dice < 0.09 then
        drawings = drawings + 1
        local query = string.format(views[math.random(#views)], math.random(0, 7))
        return wrk.format("GET", "/v1/topologies/" .. ident .. "/diagram.svg?" .. query:gsub("rank:0$", "rank:1"))
    end
    return cached
end

function response(status, headers, body)
    if status == 201 then
        table.insert(fresh, headers["Location"])
    elseif status ~= 200 then
        bad = bad + 1
    end
end

function done(summary, latency, requests)
    local uploaded, drawn, wrong = 0, 0, 0
    for _, thread in ipairs(threads) do
        uploaded, drawn, wrong = uploaded + thread:get("uploads"), drawn + thread:get("drawings"), wrong + thread:get("bad")
    end
    io.write(string.format("LOAD requests=%d seconds=%.1f p50_ms=%.2f p99_ms=%.2f max_ms=%.2f uploads=%d drawings=%d other_status=%d connect=%d read=%d write=%d timeout=%d\n",
        summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, latency.max / 1e3,
        uploaded, drawn, wrong, summary.errors.connect, summary.errors.read, summary.errors.write, summary.errors.timeout))
end
