-- name: called
-- The options of torch.compile of a name, each place once: environment variables are read in several.
SELECT o.kind, o.name, f.path, o.line
FROM compile_options AS o JOIN source_files AS f ON f.id = o.file_id
WHERE o.name = :name ORDER BY o.kind, f.path, o.line

-- name: ending
-- Options of torch.compile by the end of their names: `config.max_autotune`, `triton.cudagraphs`.
SELECT DISTINCT name FROM compile_options
WHERE kind = 'config' AND substr(name, -length(:name) - 1) = '.' || :name ORDER BY length(name), name
