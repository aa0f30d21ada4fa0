-- name: listed_at
-- Which operators does the YAML file of a backend's own list on some lines?
SELECT DISTINCT o.name, substr(r.name, 1, instr(r.name, ' ') - 1) AS backend, r.line
FROM torchgen_rules AS r
JOIN operators AS o ON o.name = 'aten::' || r.value
WHERE r.file_id = :file AND r.name <> 'backend' AND r.line BETWEEN :first AND :last
ORDER BY r.line, o.id
