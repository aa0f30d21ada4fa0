-- name: columns
-- Which tables and views are there, and which columns has each? What FTS5 keeps for itself is left out.
SELECT s.name, c.name AS column
FROM sqlite_master AS s
JOIN pragma_table_info(s.name) AS c
WHERE s.type IN ('table', 'view') AND s.name NOT LIKE 'sqlite~_%' ESCAPE '~'
  AND NOT EXISTS (
    SELECT 1 FROM sqlite_master AS v
    WHERE v.sql LIKE 'CREATE VIRTUAL%' AND substr(s.name, 1, length(v.name) + 1) = v.name || '_')
ORDER BY s.name NOT LIKE 'v~_%' ESCAPE '~', s.rowid, c.cid
