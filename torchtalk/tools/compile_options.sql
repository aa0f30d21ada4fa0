-- name: options
-- Every option of some kind, or of all.
SELECT o.kind, o.name, coalesce(o.default_value, '') AS default_value, coalesce(o.description, '') AS description,
       coalesce(o.environment, '') AS environment, coalesce(o.details, '') AS details, f.path, o.line
FROM compile_options AS o
JOIN source_files AS f ON f.id = o.file_id
WHERE :kind IN ('', o.kind)
ORDER BY o.kind, o.name, o.id

-- name: graph_breaks
SELECT coalesce(g.code, '') AS code, g.message, coalesce(g.context, '') AS context,
       coalesce(g.explanation, '') AS explanation, coalesce(g.hints, '') AS hints,
       coalesce(g.function, '') AS function, f.path, g.line
FROM graph_breaks AS g
JOIN source_files AS f ON f.id = g.file_id
WHERE :kind IN ('', 'graph_break')
ORDER BY g.message, g.id

-- name: uses
-- Where is an artifact written to?
SELECT f.path, u.line FROM artifact_uses AS u JOIN source_files AS f ON f.id = u.file_id
WHERE u.artifact = :name ORDER BY f.path, u.line LIMIT 3
