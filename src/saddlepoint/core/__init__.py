"""What every room stands on: errors, seeds, units, kernels and the store."""
