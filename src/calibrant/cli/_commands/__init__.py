"""One file a command: parse the arguments, call one public function, print its result."""
