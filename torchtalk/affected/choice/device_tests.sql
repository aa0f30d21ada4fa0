-- name: files_of_python
-- Which files of tests in Python have a word of a device: in names and decorators, in their bodies, or what makes them
-- for devices?
SELECT f.path FROM source_files AS f WHERE f.id IN (
    SELECT i.file_id FROM test_instantiations AS i WHERE i.kind = 'devices' AND i.arguments LIKE :given
    UNION SELECT t.file_id FROM tests AS t
    WHERE t.decorators LIKE '%' || :word || '%' OR t.words LIKE '%' || :word || '%'
    OR t.decorators LIKE '%' || :other || '%' OR t.words LIKE '%' || :other || '%'
    UNION SELECT t.file_id FROM tests_bodies AS b CROSS JOIN tests AS t ON t.function_id = b.rowid
    WHERE tests_bodies MATCH :names
)

-- name: imports
-- What do files import, or make of it, that has a word of a device somewhere in its name?
SELECT DISTINCT f.path, b.target FROM python_bindings AS b
CROSS JOIN python_modules AS m ON m.id = b.module_id
CROSS JOIN source_files AS f ON f.id = m.file_id
WHERE b.target LIKE '%' || :word || '%' OR b.target LIKE '%' || :other || '%'

-- name: is_file_in_cpp
-- Does a file of tests in C++ call what has a word of a device in its name, or stands in its code?
SELECT EXISTS (
    SELECT 1 FROM source_files AS f
    CROSS JOIN functions AS u ON u.file_id = f.id
    CROSS JOIN edges AS e ON e.source = u.id * 16
    CROSS JOIN functions AS c ON c.id = e.target >> 4
    CROSS JOIN source_files AS d ON d.id = c.file_id
    WHERE f.path = :path AND e.target & 15 = 0 AND (
        c.name LIKE '%' || :word || '%' OR c.name LIKE '%' || :other || '%' OR d.path LIKE '%' || :word || '%'
    )
)
