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

-- Milliseconds between an answer and the next request of a connection.
local pause = tonumber(os.getenv("PAUSE"))
if pause > 0 then
  function delay() return pause end
end

dofile(os.getenv("RESULT"))
