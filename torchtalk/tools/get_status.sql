-- name: meta
-- What is known of the index itself?
SELECT key, value FROM meta ORDER BY key

-- name: shortfalls
-- What could not be read, layer by layer?
SELECT layer, status, count(*) AS number FROM coverage
WHERE file IS NOT NULL AND status <> 'ok'
GROUP BY layer, status ORDER BY layer, status

-- name: layers
-- Which layers are there, and which had nothing to read?
SELECT layer, status, detail FROM coverage WHERE file IS NULL ORDER BY id
