-- Joining and taking apart: rows of tl functions; spec/ops_language.lua says
-- what the columns are.

return {
  { "cat", "x y? axis?", group = "parts", op = "neso.cat",
    doc = "y after x along an axis (default 0); tl.cat({ a, b, c }, axis) takes any number." },
  { "join", "x y", group = "parts", op = "neso.cat",
    doc = "x and y, broadcast, side by side along a new last axis of extent 2." },
  { "split", "x", group = "parts", op = "neso.slice",
    doc = "The two halves of a block whose last extent is 2, without that axis." },
  { "interleave", "x y", group = "parts", op = "neso.cat",
    doc = "Elements of x and y in turns along the last axis." },
  { "broadcast", "x y", group = "parts", op = "neso.broadcast",
    doc = "Both in their common dtype and shape." },
  { "slice", "x axis first last? step?", group = "parts", op = "neso.slice",
    doc = "Elements first, first + step, ... before `last` along an axis; all known when"
      .. " compiling. The step may be negative." },
  { "flip", "x axis?", group = "parts", op = "neso.slice",
    doc = "Elements in reverse along an axis (default: the last)." },
  { "squeeze", "x axis?", group = "parts", op = "neso.reshape",
    doc = "Without the extent of 1 at an axis, or without all of them." },
  { "unsqueeze", "x axis", group = "parts", op = "neso.expand_dims",
    doc = "The same as tl.expand_dims." },
  { "view", "x shape", group = "parts", op = "neso.reshape", doc = "The same as tl.reshape." },
  { "item", "x", group = "parts", op = "neso.reshape",
    doc = "The element of a block that has one, as a scalar." },
}
