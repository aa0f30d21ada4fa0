-- name: blocks
-- Which of some functions can be the body of a TORCH_LIBRARY block, by their names?
SELECT u.id, u.name FROM json_each(:ids) AS j CROSS JOIN functions AS u ON u.id = j.value
WHERE u.name LIKE '%TORCH\_LIBRARY%\_init\_%' ESCAPE '\'

-- name: registered_in
-- Which overloads is something registered for in some blocks? A name of all overloads is that of each.
SELECT DISTINCT o.id FROM json_each(:ids) AS j
CROSS JOIN functions AS u ON u.id = j.value
CROSS JOIN registrations AS r ON r.block_file_id = u.file_id AND r.block_line = u.line
CROSS JOIN operators AS o ON o.name = r.operator
    OR (r.all_overloads AND o.base = substr(r.operator, instr(r.operator, '::') + 2)
        AND o.namespace = substr(r.operator, 1, instr(r.operator, '::') - 1))
ORDER BY o.id
