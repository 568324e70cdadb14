-- The heartbeat of one delegate as one sample, pushed under a group of its own.
local instances = tonumber(os.getenv("INSTANCES"))
local BODY = "# TYPE delegate_last_heartbeat_seconds gauge\n"
  .. 'delegate_last_heartbeat_seconds{name="group-%06d",host="host-%08d",version="26.11.90604"} 1795176000\n'
local length = #string.format(BODY, 0, 0)
local head = "PUT /metrics/job/delegate/instance/d-%08d HTTP/1.1\r\nhost: localhost\r\ncontent-length: "
  .. length .. "\r\n\r\n"

local number = 0
function request()
  number = (number + 7919) % instances
  return string.format(head, number) .. string.format(BODY, math.floor(number / 100), number)
end

dofile(os.getenv("RESULT"))
