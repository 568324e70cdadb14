-- Heartbeats of many delegates, each request of another one, as wrk sends them.
local instances = tonumber(os.getenv("INSTANCES"))
local members = tonumber(os.getenv("MEMBERS"))
local versions = {}
for version in string.gmatch(os.getenv("VERSIONS"), "%S+") do versions[#versions + 1] = version end

local BODY = '{"accountId":"ACC","delegateName":"group-%06d","delegateId":"d-%08d","delegateType":"KUBERNETES",'
  .. '"ng":true,"pollingModeEnabled":true,"hostName":"host-%08d","version":"%s","heartbeatAsObject":true}'
-- Every field has a fixed width.
local length = #string.format(BODY, 0, 0, 0, versions[1])
local head = "POST /api/agent/delegates/heartbeat-with-polling?accountId=ACC HTTP/1.1\r\nhost: localhost\r\n"
  .. "content-type: application/json\r\nauthorization: Delegate " .. os.getenv("JWE") .. "\r\ncontent-length: "
  .. length .. "\r\n\r\n"

local threads = 0
function setup(thread)
  thread:set("first", threads)
  threads = threads + 1
end

local number
function init()
  number = first * 104729
end

function request()
  number = (number + 7919) % instances
  local version = versions[number % #versions + 1]
  return head .. string.format(BODY, math.floor(number / members), number, number, version)
end

-- Where the pace is given, each request has its instant, and whoever is late does not wait: the pace is held, not approached.
local pace = tonumber(os.getenv("PACE"))
if pace > 0 then
  local ffi = require("ffi")
  ffi.cdef("typedef struct { long sec; long nsec; } instant; int clock_gettime(int clock, instant *now);")
  local MONOTONIC = 1
  local instant = ffi.new("instant")
  local function now()
    ffi.C.clock_gettime(MONOTONIC, instant)
    return tonumber(instant.sec) + tonumber(instant.nsec) / 1e9
  end

  local start
  local sent = 0
  -- Milliseconds until the next request of the connection that asks.
  function delay()
    start = start or now()
    local due = start + sent / pace
    sent = sent + 1
    return math.max(0, math.ceil((due - now()) * 1000))
  end
end

dofile(os.getenv("RESULT"))
