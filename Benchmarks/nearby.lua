-- wrk -s nearby.lua URL -- FILE SEED
--
-- Sends the requests of a file in turn: method, path, body and headers, separated by tabs.
-- Prints one line "RESULT ..." that servers.py reads.

local threads = 0

function setup(thread)
   threads = threads + 1
   thread:set("number", threads)
end

function init(args)
   local requests = {}
   for line in io.lines(args[1]) do
      local fields = {}
      for field in (line .. "\t"):gmatch("(.-)\t") do
         fields[#fields + 1] = field
      end
      local headers = {["Host"] = wrk.headers["Host"]}
      for index = 4, #fields do
         local name, value = fields[index]:match("^(.-): (.*)$")
         headers[name] = value
      end
      local body = fields[3] ~= "" and fields[3] or nil
      requests[#requests + 1] = wrk.format(fields[1], fields[2], headers, body)
   end
   -- Each thread and each round starts at another line.
   local next = (tonumber(args[2]) * 7919 + number * 104729) % #requests
   request = function()
      next = next % #requests + 1
      return requests[next]
   end
end

function done(summary, latency)
   local e = summary.errors
   print(string.format("RESULT %d %d %d %d %d %d", summary.requests, summary.duration,
      latency:percentile(50), latency:percentile(99), e.status,
      e.connect + e.read + e.write + e.timeout))
end
