-- Which functions of GPU files launch a kernel, themselves or through calls there and what they hand to templates? A walk
-- down looks at these alone where `launching_functions` leads to no launch.

DELETE FROM gpu_launching_functions;

CREATE TEMP TABLE gpu_functions AS
SELECT u.id,
       u.kind <> 'constructor'
       -- A list: launches have no index by what they launch until all steps are done.
       AND u.id NOT IN (SELECT callee_id FROM launches WHERE kind <> 'library' AND callee_id IS NOT NULL) AS is_followed
FROM source_files AS f JOIN functions AS u ON u.file_id = f.id
WHERE f.kind IN ('cuda', 'objc') OR instr(f.path, '/cuda/') OR instr(f.path, '/mps/') OR instr(f.path, '/vulkan/');

CREATE UNIQUE INDEX temp.gpu_functions_id ON gpu_functions (id);

-- What a walk does not go on to is no way up either: constructors, and helpers that launch for others. Without the hints
-- SQLite builds Bloom filters over all calls and edges for two thousand rows.
INSERT INTO gpu_launching_functions (function_id)
WITH RECURSIVE up (id) AS (
    SELECT g.id FROM launches AS l JOIN temp.gpu_functions AS g ON g.id = l.launcher_id
    UNION
    SELECT c.caller_id
    FROM up
    CROSS JOIN temp.gpu_functions AS g ON g.id = up.id AND unlikely(g.is_followed)
    CROSS JOIN calls AS c ON c.callee_id = up.id AND c.kind IN ('call', 'launch', 'candidate', 'reference')
    CROSS JOIN temp.gpu_functions AS o ON o.id = c.caller_id
    WHERE c.kind <> 'candidate' OR NOT EXISTS (SELECT 1 FROM ambiguous_calls AS a
                                               WHERE a.callee_id = c.callee_id AND a.caller_id = c.caller_id)
    UNION
    SELECT e.source >> 4
    FROM up
    CROSS JOIN edges AS e ON e.target = up.id * 16
    CROSS JOIN temp.gpu_functions AS o ON o.id = e.source >> 4
    WHERE unlikely(up.id) AND e.source & 15 = 0
      AND e.kind_id IN (SELECT id FROM edge_kinds WHERE kind = 'template')
)
SELECT id FROM up ORDER BY id;

DROP TABLE temp.gpu_functions;
