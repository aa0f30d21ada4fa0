-- Which kernels can a launch reach whose kernel a lambda is given? Which of its overloads does one launch, and which
-- launches reach none that is known?

-- Of overloads the one that the call before the `<<<` was told apart for (replication_pad_backward_kernel is one for one,
-- two and three dimensions each), where all other overloads of the launch are none of that call's. A macro's use is no call.
CREATE TEMP TABLE told_overloads AS
WITH several (launch_id) AS MATERIALIZED (
    SELECT x.launch_id FROM launch_kernels AS x
    JOIN kernels AS k ON k.id = x.kernel_id
    WHERE k.platform = 'cuda'
    GROUP BY x.launch_id HAVING sum(k.is_definition) > 1
),
begun (launch_id, kernel_id, line, kind) AS (
    SELECT x.launch_id, x.kernel_id, c.line, c.kind
    FROM several AS s
    CROSS JOIN launches AS l ON l.id = s.launch_id AND l.macro IS NULL
    CROSS JOIN launch_kernels AS x ON x.launch_id = l.id
    CROSS JOIN kernels AS k ON k.id = x.kernel_id
    CROSS JOIN functions AS u ON u.file_id = k.file_id AND u.line = k.line AND u.name = k.name
    CROSS JOIN calls AS c ON c.caller_id = l.launcher_id AND c.callee_id = u.id AND c.line BETWEEN l.line - 4 AND l.line
)
SELECT b.launch_id, min(b.kernel_id) AS kernel_id
FROM begun AS b
WHERE b.line = (SELECT max(n.line) FROM begun AS n WHERE n.launch_id = b.launch_id)
GROUP BY b.launch_id HAVING count(DISTINCT b.kernel_id) = 1 AND min(b.kind) = 'launch' AND max(b.kind) = 'launch';

DELETE FROM launch_kernels
WHERE launch_id IN (SELECT launch_id FROM temp.told_overloads)
  AND (launch_id, kernel_id) NOT IN (SELECT launch_id, kernel_id FROM temp.told_overloads);

UPDATE launch_kernels SET is_primary = 1 WHERE launch_id IN (SELECT launch_id FROM temp.told_overloads);

DROP TABLE temp.told_overloads;

-- Whatever the function that is given the lambda, and those it hands it on to, call it with.
INSERT OR IGNORE INTO launch_kernels
WITH RECURSIVE given (launch_id, function_id, depth) AS (
    SELECT l.id, c.callee_id, 0
    FROM launches AS l
    JOIN calls AS c ON c.caller_id = l.launcher_id
    JOIN functions AS u ON u.id = c.callee_id
    WHERE l.handed_to IS NOT NULL
      AND u.last = substr(l.handed_to, length(rtrim(l.handed_to, replace(l.handed_to, ':', ''))) + 1)
      AND NOT EXISTS (SELECT 1 FROM launch_kernels AS done WHERE done.launch_id = l.id)
    UNION
    SELECT g.launch_id, c.callee_id, g.depth + 1
    FROM given AS g
    JOIN calls AS c ON c.caller_id = g.function_id
    WHERE g.depth < 3
)
SELECT DISTINCT g.launch_id,
       -- A header declares for those who choose what other files define.
       coalesce((SELECT min(d.id) FROM kernels AS d WHERE d.name = k.name AND d.platform = k.platform AND d.is_definition),
                min(k.id) OVER (PARTITION BY g.launch_id, k.name)), 0
FROM given AS g
JOIN functions AS u ON u.id = g.function_id
JOIN kernel_arguments AS a ON a.function = u.name AND a.file_id = u.file_id
JOIN kernels AS k ON k.function = a.kernel AND k.file_id = a.file_id
ORDER BY 1, 2;

INSERT INTO coverage (layer, file, status, detail)
SELECT 'launches', f.path, 'partial',
       CASE l.platform WHEN 'metal' THEN 'the Metal function ' WHEN 'vulkan' THEN 'the Vulkan shader '
            ELSE 'the launched kernel ' END || l.kernel || ' at line ' || l.line
       || CASE WHEN l.variable IS NOT NULL THEN ' is held by a variable or parameter'
               WHEN l.in_definition THEN ' is named by the macro''s use'
               WHEN instr(l.kernel, '*') THEN ' is put together at run time'
               ELSE ' is not defined in the tree' END
FROM launches AS l
JOIN source_files AS f ON f.id = l.file_id
WHERE l.kind IN ('launch', 'runtime', 'pipeline')
  AND l.id NOT IN (SELECT launch_id FROM launch_kernels)
ORDER BY l.id;
