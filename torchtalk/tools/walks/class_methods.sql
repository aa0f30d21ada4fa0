-- name: used
-- Which methods of a Python class does something outside of it use, where nothing uses the class itself?
SELECT p.id, p.name FROM python_functions AS p
WHERE p.class_id = :id AND NOT EXISTS (SELECT 1 FROM edges AS e WHERE e.target = :node)
  AND EXISTS (
      SELECT 1 FROM edges AS e
      JOIN edge_kinds AS k ON k.id = e.kind_id AND k.kind IN ('python', 'reference', 'candidate')
      LEFT JOIN python_functions AS u ON e.source & 15 = 4 AND u.id = e.source >> 4
      WHERE e.target = p.id * 16 + 4 AND u.class_id IS NOT :id)
ORDER BY p.line, p.id
