-- wrk script of access-cost: renews a random one of INSTANCES that access-cost registered, with AUTHORIZATION if there is one.
local n = tonumber(os.getenv("INSTANCES"))
local headers = { ["Accept"] = "application/json", ["Authorization"] = os.getenv("AUTHORIZATION") }
function request()
  return wrk.format("PUT", "/eureka/apps/APP/host-" .. math.random(0, n - 1) .. "?status=UP", headers)
end
