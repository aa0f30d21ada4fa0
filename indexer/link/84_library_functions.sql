-- Which functions end at a vendor's library, themselves or through at most six calls? A walk down from a kernel looks at
-- these alone.

DELETE FROM library_functions;

-- What v_library_calls leaves out, found in one go: the index that the view looks names up in is made behind all steps.
-- For a build without LAPACK the tree has functions of the same names, which only hand on: those are calls all the same.
CREATE TEMP TABLE own_names AS
SELECT DISTINCT u.last AS name
FROM functions AS u JOIN source_files AS f ON f.id = u.file_id AND f.kind IN ('cpp', 'cuda')
WHERE u.line < u.end_line AND u.last COLLATE NOCASE IN (SELECT name FROM library_calls WHERE library <> 'BLAS and LAPACK');

-- Calls lead on from files that know of libraries, and surely; a template's specializations are what it comes to.
INSERT INTO library_functions (function_id, calls)
WITH RECURSIVE up (id, depth) AS (
    SELECT u.id, 0
    FROM library_calls AS l
    JOIN functions AS u ON u.file_id = l.file_id AND l.line BETWEEN u.line AND u.end_line
    WHERE l.name COLLATE NOCASE NOT IN (SELECT name FROM temp.own_names)
    UNION
    SELECT c.caller_id, up.depth + 1
    FROM up
    JOIN functions AS u ON u.id = up.id
    JOIN source_files AS f ON f.id = u.file_id
    JOIN calls AS c ON c.callee_id = up.id AND c.kind IN ('call', 'candidate')
    WHERE unlikely(up.depth < 6) AND f.kind IN ('cpp', 'cuda', 'objc')
      AND f.path NOT GLOB 'c10/*' AND f.path NOT GLOB '*/ATen/core/*'
      AND (c.kind = 'call' OR NOT EXISTS (SELECT 1 FROM ambiguous_calls AS a
                                          WHERE a.callee_id = c.callee_id AND a.caller_id = c.caller_id))
    UNION
    SELECT e.source >> 4, up.depth + 1
    FROM up JOIN edges AS e ON e.target = up.id * 16 AND e.source & 15 = 0
    WHERE unlikely(up.depth < 6) AND e.kind_id IN (SELECT id FROM edge_kinds WHERE kind = 'specialization')
)
SELECT id, min(depth) FROM up GROUP BY id ORDER BY id;

DROP TABLE temp.own_names;
