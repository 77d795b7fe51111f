-- The grid, reports to the host, and code that is not neso's.
local types = require "neso.interpreter.types"

local function along(field)
  return { block = function(op, machine)
    local to, axis = op.results[1], op.attributes.axis + 1
    return function() return to.element.new(1, machine[field][axis]) end
  end }
end

local function report(name)
  return { block = function(op, machine)
    return function(...) return machine[name](op, ...) end
  end }
end

local function foreign(op, machine)
  return function() return machine.refuse(op) end
end

local verbs = { load = "reads", store = "writes", atomic = "changes" }

-- Ends the run unless every element that is not masked off lies in the pointer's buffer.
local function check_access(op, machine)
  local offsets_type = op.operands[2]
  local element = types.stored(op.attributes.dtype)
  local to = { element = element, shape = offsets_type.shape, count = offsets_type.count }
  return function(base, offsets, mask)
    local check = machine.view(op, base, to, verbs[op.attributes.access]).check
    for i = 0, to.count - 1 do
      if not mask or mask[i] ~= 0 then check(offsets[i], i) end
    end
  end
end

return {
  ["neso.program_id"] = along "program",
  ["neso.num_programs"] = along "grid",
  ["neso.print"] = report "print",
  ["neso.assert"] = report "check",
  ["neso.check_access"] = { block = check_access },
  ["neso.breakpoint"] = report "breakpoint",
  ["neso.asm"] = { block = foreign },
  ["neso.asm_pure"] = { block = foreign },
  ["neso.extern"] = { block = foreign },
  ["neso.extern_pure"] = { block = foreign },
}
