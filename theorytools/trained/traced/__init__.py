"""From a torch module to blocks: its operators, linear forms of one position, and what is bilinear or bends."""
