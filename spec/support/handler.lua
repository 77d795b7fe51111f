-- busted output: the plain terminal report, failures named, closed by
-- "N passed, N failed, N skipped". A run without a test counts as a failure.
return function(options)
  local busted = require "busted"
  local handler = require "busted.outputHandlers.plainTerminal"(options)
  local count = { success = 0, failure = 0, error = 0, pending = 0 }

  busted.subscribe({ "test", "end" }, function(_, _, status)
    count[status] = count[status] + 1
    return nil, true
  end)
  busted.subscribe({ "error" }, function(element)
    if element.descriptor ~= "it" then count.error = count.error + 1 end
    return nil, true
  end)
  busted.subscribe({ "exit" }, function()
    local failed = count.failure + count.error
    if count.success + failed + count.pending == 0 then failed = 1 end
    io.write(("%d passed, %d failed, %d skipped\n"):format(count.success, failed, count.pending))
    return nil, true
  end)
  return handler
end
