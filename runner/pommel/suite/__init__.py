"""What a suite is: values, formulas, reading and writing, every fault, doubts about a design."""
