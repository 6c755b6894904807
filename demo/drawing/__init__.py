"""Export of records as pictures and pages; `palette` defines all colours except black and white."""
