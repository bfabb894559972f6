-- Load of every kind but heartbeats, as fast as it is answered: full reads, deltas, registrations.
local base = os.getenv("BASE_PATH") or "/eureka/"
local gzip = { ["Accept"] = "application/json", ["Accept-Encoding"] = "gzip" }
local requests = {}
local sent = 0

function init()
  math.randomseed(1)
  local body = '{"instance":{"instanceId":"%s","hostName":"h","app":"LOAD","ipAddr":"192.0.2.1",' ..
    '"leaseInfo":{"durationInSecs":86400},"dataCenterInfo":{"name":"MyOwn"},"lastDirtyTimestamp":"1"}}'
  for n = 1, 100 do
    if n <= 70 then
      requests[n] = wrk.format("GET", base .. "apps", { ["Accept"] = "application/json" })
    elseif n <= 90 then
      requests[n] = wrk.format("GET", base .. "apps/delta", gzip)
    else
      requests[n] = wrk.format("POST", base .. "apps/LOAD", { ["Content-Type"] = "application/json" },
        string.format(body, "load-" .. n))
    end
  end
end

function request()
  sent = sent + 37
  return requests[sent % 100 + 1]
end
