-- No device at all: the skeleton of a backend, and devices for tests (NESO_NULL_DEVICES=2).
return {
  name = "null",
  driver = "null",
  priority = -10,
  options = { num_warps = 4, num_stages = 1 },
}
