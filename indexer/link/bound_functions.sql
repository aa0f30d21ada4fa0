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
               'method_table', 'getset', 'setter', 'slot');
