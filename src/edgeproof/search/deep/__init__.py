"""Networks of any depth on whole graphs: single flips, bounded a vertex at a time, exact where bounds leave a doubt."""
