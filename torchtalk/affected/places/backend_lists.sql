-- name: listed_at
-- Which operators does the YAML file of a backend's own list on some lines?
SELECT DISTINCT o.name, substr(r.name, 1, instr(r.name, ' ') - 1) AS backend, l.value AS line
FROM torchgen_rules AS r
JOIN json_each(r.value) AS l ON l.value BETWEEN :first AND :last
JOIN operators AS o ON o.name = 'aten::' || l.key
WHERE r.file_id = :file AND r.name GLOB '* *'
ORDER BY l.value, o.id
