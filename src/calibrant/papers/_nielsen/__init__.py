"""Nielsen (2004): B-PETs, EB-PETs and MOB-ESP on 20 data sets."""
