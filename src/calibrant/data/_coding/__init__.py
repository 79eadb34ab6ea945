"""Tables coded as small integers, and the weights of their values by class."""
