-- name: operators_of_yaml
-- The overloads whose entries lines of native_functions.yaml or derivatives.yaml stand in: each ends where the next
-- begins.
SELECT id FROM operators WHERE file_id = :file AND line BETWEEN coalesce(
    (SELECT max(line) FROM operators WHERE file_id = :file AND origin = 'yaml' AND line <= :first), :first) AND :last
UNION
SELECT operator_id FROM derivative_entries
WHERE operator_id IS NOT NULL AND file_id = :file AND line BETWEEN coalesce(
    (SELECT max(line) FROM derivative_entries WHERE file_id = :file AND line <= :first), :first) AND :last
ORDER BY 1

-- name: assigned_at
-- Which name does a line of a module of Python give to what another is, or to what a call makes of it? Or what that C++
-- binds does a line of a stub file declare?
SELECT m.name || '.' || b.name AS name FROM python_modules AS m JOIN python_bindings AS b ON b.module_id = m.id
WHERE m.file_id = :file AND b.line = :line AND b.scope = '' AND b.kind IN ('alias', 'call')
UNION ALL
SELECT owner || '.' || name FROM python_native_bindings WHERE file_id = :file AND line = :line

-- name: bindings_named
-- What is bound by a name in Python in a file, and known by no other?
SELECT id FROM bindings WHERE file_id = :file AND python_name = :name ORDER BY id

-- name: next_to
-- Which definitions stand next above and below a line of a file?
SELECT name, line, end_line FROM (
    SELECT name, line, end_line FROM (
        SELECT u.name, u.line, u.end_line FROM functions AS u WHERE u.file_id = :file AND u.end_line < :line
        UNION ALL
        SELECT m.name || '.' || p.name, p.line, p.end_line
        FROM python_modules AS m JOIN python_functions AS p ON p.module_id = m.id
        WHERE m.file_id = :file AND p.end_line < :line AND p.kind <> 'module'
    ) ORDER BY end_line DESC, line LIMIT 1)
UNION ALL
SELECT name, line, end_line FROM (
    SELECT name, line, end_line FROM (
        SELECT u.name, u.line, u.end_line FROM functions AS u WHERE u.file_id = :file AND u.line > :line
        UNION ALL
        SELECT m.name || '.' || p.name, p.line, p.end_line
        FROM python_modules AS m JOIN python_functions AS p ON p.module_id = m.id
        WHERE m.file_id = :file AND p.line > :line
    ) ORDER BY line, end_line LIMIT 1)

-- name: registered_on
-- Which overloads do statements on lines of a file register something for, beside which others of the same name?
SELECT DISTINCT o.id, p.id AS other FROM registrations AS r
JOIN operators AS o ON o.name = r.operator
JOIN operators AS p ON p.base = o.base AND p.namespace = o.namespace
WHERE r.file_id = :file AND r.line BETWEEN :first AND :last AND NOT r.all_overloads ORDER BY o.id, p.id

-- name: class_at
-- Where does a C++ class stand?
SELECT f.path, c.line FROM cpp_classes AS c JOIN source_files AS f ON f.id = c.file_id
WHERE c.name = :name ORDER BY c.id LIMIT 1

-- name: module_code
-- What stands for the code of a file of Python that is in no function?
SELECT p.id FROM python_modules AS m JOIN python_functions AS p ON p.module_id = m.id
WHERE m.file_id = :file AND p.kind = 'module'
