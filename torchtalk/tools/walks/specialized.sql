-- name: methods
-- The heads of functions, and where the class begins whose body each stands in.
SELECT u.id, u.signature, f.path, f.sha, (
    SELECT max(c.line) FROM cpp_classes AS c
    WHERE c.name = substr(u.name, 1, length(u.name) - length(u.last) - 2) AND c.file_id = u.file_id
      AND u.line BETWEEN c.line AND c.end_line) AS class_line
FROM json_each(:ids) AS w CROSS JOIN functions AS u ON u.id = w.value
CROSS JOIN source_files AS f ON f.id = u.file_id ORDER BY u.id

-- name: aliases
-- What do aliases of types stand for?
SELECT DISTINCT text FROM cpp_usings WHERE keyword = 'using' AND instr(text, ' = ')
