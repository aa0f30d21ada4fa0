-- name: heads
-- The heads of functions that are written as such, in one file or all; where names are given, those that have one.
SELECT f.id, f.file_id, f.head FROM functions AS f
WHERE f.macro IS NULL AND (:file IS NULL OR f.file_id = :file)
  AND (:names = '[]' OR EXISTS (SELECT 1 FROM json_each(:names) AS n WHERE instr(f.head, n.value)))
ORDER BY f.id
