-- Memory. `machine.view(op, base, type, verb)` gives what a base pointer leads to:
-- view.read(offset, i) and view.write(offset, i, x), where i is the place in the block. Both end
-- the run where the element lies outside of the pointer's buffer. What is masked off is not
-- touched.

local function load(op, machine)
  local to = op.results[1]
  return function(base, offsets, mask, other)
    local out, view = to.element.new(to.count), machine.view(op, base, to, "reads")
    local read = view.read
    for i = 0, to.count - 1 do
      if not mask or mask[i] ~= 0 then
        out[i] = read(offsets[i], i)
      else
        out[i] = other[i]
      end
    end
    return out
  end
end

local function store(op, machine)
  local from = op.operands[3]
  return function(base, offsets, value, mask)
    local write = machine.view(op, base, from, "writes").write
    for i = 0, from.count - 1 do
      if not mask or mask[i] ~= 0 then write(offsets[i], i, value[i]) end
    end
  end
end

return {
  ["neso.load"] = { block = load },
  ["neso.masked_load"] = { block = load },
  ["neso.store"] = { block = store },
  ["neso.masked_store"] = { block = store },
  ["neso.address"] = { block = function(op, machine)
    local to = op.results[1]
    return function(pointer) return to.element.new(1, machine.address(pointer)) end
  end },
  ["neso.pointer"] = { block = function(_, machine)
    return function(address) return machine.pointer(address[0]) end
  end },
}
