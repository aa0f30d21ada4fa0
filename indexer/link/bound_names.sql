-- What is a binding's function called?
UPDATE bindings SET cpp_name = (SELECT u.name FROM functions AS u WHERE u.id = function_id)
WHERE function_id IS NOT NULL;

-- What is exported by a macro's list (`AT_FORALL_…`) or from another file keeps its own name only.
INSERT INTO coverage (layer, file, status, detail)
SELECT 'bindings', f.path, 'partial',
       CASE count(*) WHEN 1 THEN '1 binding whose module is not known, at line '
            ELSE count(*) || ' bindings whose module is not known, the first at line ' END || min(b.line)
FROM bindings AS b
JOIN source_files AS f ON f.id = b.file_id
WHERE b.python_name IS NULL
GROUP BY f.path ORDER BY f.path;

DROP TABLE temp.enclosing;
