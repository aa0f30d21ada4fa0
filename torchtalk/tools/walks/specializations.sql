-- name: users
-- How many of some functions are specializations, how many functions call these themselves, how many what they are
-- specializations of, and how many specializations has that?
WITH asked (id) AS MATERIALIZED (SELECT value FROM json_each(:ids)),
templates (of, id) AS MATERIALIZED (
    SELECT a.id, e.source / 16 FROM asked AS a CROSS JOIN edges AS e ON e.target = a.id * 16
    WHERE e.kind_id IN (SELECT id FROM edge_kinds WHERE kind = 'specialization')
)
SELECT (SELECT count(DISTINCT of) FROM templates) AS asked,
    (SELECT count(DISTINCT c.caller_id) FROM asked AS a CROSS JOIN calls AS c ON c.callee_id = a.id) AS own,
    (SELECT count(DISTINCT c.caller_id) FROM (SELECT DISTINCT id FROM templates) AS t
     CROSS JOIN calls AS c ON c.callee_id = t.id) AS users,
    (SELECT count(DISTINCT e.target) FROM (SELECT DISTINCT id FROM templates) AS t
     CROSS JOIN edges AS e ON e.source = t.id * 16
     WHERE e.kind_id IN (SELECT id FROM edge_kinds WHERE kind = 'specialization')) AS "all"
