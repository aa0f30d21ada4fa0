-- name: entries_called
-- Which of these names has an OpInfo?
SELECT DISTINCT n.value AS name FROM json_each(:names) AS n
JOIN opinfos AS o ON o.kind = 'op' AND o.name IN (n.value, 'nn.functional.' || n.value) ORDER BY n.key
