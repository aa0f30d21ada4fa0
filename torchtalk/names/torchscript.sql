-- name: torchscript
-- What TorchScript's own registry has under a name, with all its overloads.
SELECT r.operator, min(r.kernel) AS kernel, f.path, min(r.line) AS line
FROM registrations AS r JOIN source_files AS f ON f.id = r.file_id
WHERE r.kind = 'jit' AND (r.operator = :packet OR (r.operator > :packet || '.' AND r.operator < :packet || '/'))
GROUP BY r.operator, f.path ORDER BY min(r.id)

-- name: torchscript_on
-- What of TorchScript's own registry is registered in a file, down to a line?
SELECT DISTINCT r.operator, r.kernel, r.line FROM registrations AS r
WHERE r.kind = 'jit' AND r.file_id = :file AND r.line <= :last ORDER BY r.line, r.id

-- name: torchscript_of
-- Which operators of TorchScript's own registry have some functions as their kernels?
SELECT r.operator, min(r.id) AS first FROM json_each(:functions) AS w
CROSS JOIN functions AS u ON u.id = w.value
CROSS JOIN registrations AS r ON r.kernel = u.name AND r.kind = 'jit'
GROUP BY r.operator ORDER BY 2
