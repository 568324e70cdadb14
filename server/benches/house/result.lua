-- The line that the bench reads: answers, microseconds, failures; the slowest of a hundred and of all in microseconds.
function done(summary, latency)
  local errors = summary.errors
  local bad = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format("RESULT %d %d %d %d %d\n", summary.requests, summary.duration, bad,
    latency:percentile(99), latency.max))
end
