--- Shape functions work on blocks of pointers through their offsets.

local check = require "neso.language.check"
local values = require "neso.frontend.values"

--- fn(cx, value, a) on a.x: a value, or the offsets of a pointer.
return function(fn)
  return function(cx, a)
    if values.is_pointer(a.x) and a.x.offset then
      return values.pointer(a.x.base, fn(cx, a.x.offset, a), a.x.dtype)
    end
    return fn(cx, check.value(cx, a.x, "reshape"), a)
  end
end
