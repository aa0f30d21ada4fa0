-- name: written
-- Which decorators has a function of Python as they are written, and where do those of the tree stand?
SELECT p.decorators, d.name AS last, f.path, d.line
FROM python_functions AS p
LEFT JOIN python_calls AS c ON c.caller_id = p.id AND c.kind = 6
LEFT JOIN python_resolutions AS r ON r.target_id = c.target_id
LEFT JOIN python_functions AS d ON d.id = r.function_id
LEFT JOIN python_modules AS m ON m.id = d.module_id
LEFT JOIN source_files AS f ON f.id = m.file_id
WHERE p.id = :id AND p.decorators IS NOT NULL AND p.kind NOT IN ('property', 'setter')
ORDER BY d.id
