"""The most stable gains and discounts of nDCG ([K09]: Phi as a function of them)."""
