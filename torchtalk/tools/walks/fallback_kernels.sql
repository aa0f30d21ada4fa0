-- name: keys
-- For which dispatch keys are some functions the kernel of all operators that have none of their own?
SELECT DISTINCT f.key, f.kernel, f.file, f.line FROM json_each(:functions) AS w
CROSS JOIN functions AS u ON u.id = w.value
CROSS JOIN fallbacks AS f ON f.kernel = u.name
ORDER BY f.file, f.line
