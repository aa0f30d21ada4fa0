-- name: written
-- Where do PyTorch's generators write calls by one of some names?
SELECT DISTINCT f.path, w.line FROM written_calls AS w JOIN source_files AS f ON f.id = w.file_id
WHERE w.name IN (SELECT value FROM json_each(:names)) AND w.is_called
  AND (f.path GLOB 'torchgen/*' OR f.path GLOB 'tools/*')
ORDER BY f.path, w.line
