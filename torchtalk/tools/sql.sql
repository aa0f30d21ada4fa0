-- name: layers
-- Which layers are there, and which had nothing to read?
SELECT layer, status, detail FROM coverage WHERE file IS NULL ORDER BY id
