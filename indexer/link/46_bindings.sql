-- Which C++ function does each binding call? By its name as written, from the innermost scope
-- outwards; a definition in the same file first, one that only another source can name last.

UPDATE bindings SET function_id = (
    SELECT u.id FROM bindings AS b
    JOIN temp.enclosing AS e ON e.scope = b.scope
    JOIN functions AS u ON u.name = e.prefix || ltrim(b.cpp_name, ':')
    JOIN source_files AS f ON f.id = u.file_id
    WHERE b.id = bindings.id
    ORDER BY u.file_id <> b.file_id AND (u.is_anonymous OR u.signature GLOB 'static *')
                 AND (f.path GLOB '*.c*' AND f.path NOT GLOB '*.cuh' OR f.path GLOB '*.mm'),
             e.depth, u.file_id <> b.file_id, f.path, u.line LIMIT 1)
WHERE cpp_name IS NOT NULL
  AND form IN ('function', 'method', 'static_method', 'property', 'property_static',
               'method_table', 'getset', 'setter');

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
