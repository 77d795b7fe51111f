-- Cases that run without checks when NESO_CHECKED is set: their subject is what the language says
-- about values that checked mode refuses. { pattern of the name, reason }.

return {
  { "^[%+%-%*] [iu]%d", "integers wrap" },
  { "^[iu]%d+: arithmetic", "integers wrap, x / 0 and the least value by -1 are defined" },
  { "^[iu]%d+: shifts", "shifts by the width and more are defined" },
  { "^unary %- i%d", "integers wrap" },
  { "that wraps", "integers wrap" },
  { "^// [iu]%d", "division by zero, and of the least value by -1" },
  { "^%% [iu]%d", "division by zero, and of the least value by -1" },
  { "^div_", "division by zero, and of the least value by -1" },
  { "^rem [iu]%d", "division by zero, and of the least value by -1" },
  { "^division by 0", "division by zero" },
  { "^constants of", "what does not fit saturates" },
  { "^b?f%d+ to [iu]%d", "floats beyond the range of integers saturate" },
}
