-- name: files_like
-- Files whose path ends in this, the library's before those of benchmarks, tests and tools.
SELECT id, path, kind, sha FROM source_files
WHERE path = :path OR substr(path, -length(:path) - 1) = '/' || :path
ORDER BY path NOT GLOB 'torch/*' AND path NOT GLOB 'aten/*' AND path NOT GLOB 'c10/*', path

-- name: files_any_case
-- Files whose path ends in this but for upper and lower case.
SELECT id, path, kind, sha FROM source_files
WHERE path = :path COLLATE NOCASE OR substr(path, -length(:path) - 1) = '/' || :path COLLATE NOCASE ORDER BY path

-- name: file_ending
-- The file that the longest of these ends of a path names.
SELECT f.id, f.path, f.kind, f.sha FROM json_each(:ends) AS w
CROSS JOIN source_files AS f ON f.path = w.value ORDER BY w.key LIMIT 1

-- name: in_folder
-- How many files stand in a folder or in those in it, and the first; `0` comes behind `/` in the order of names.
SELECT count(*) AS files, min(path) AS path FROM source_files WHERE path >= :first AND path < :end

-- name: classes_called
-- The classes of C++ that have this name, or end so.
SELECT c.name, f.path, c.line FROM cpp_classes AS c JOIN source_files AS f ON f.id = c.file_id
WHERE c.name = :name OR substr(c.name, -length(:name) - 2) = '::' || :name
ORDER BY c.name <> :name, c.name, f.path, c.line
