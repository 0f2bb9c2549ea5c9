"""A model of the change log, its tail in memory, GET /v1/changes, webhooks, keys, and the order of numbers.

Each part is a function that takes a seed and returns None, or a description of what went wrong. A run is
random writes, pages, pruning, restarts, restores, kills and lost clients. `BAD` names a rule that the run
breaks on purpose: each of these known-bad twins must fail. `Tests/Sync/model` runs both.
"""

import random, copy

BAD = set()          # the rule that this run breaks on purpose


class Log:
    """The table `changes`: what triggers write. A row has what was true BEFORE the change."""
    def __init__(s): s.rows = []; s.seq = 0; s.floor = 0
    def add(s, kind, rec=None, user=None, ev=None, pub=None, p=None):
        s.seq += 1; s.rows.append((s.seq, kind, rec, user, ev, pub, p)); return s.seq
    def prune(s, keep):
        while len(s.rows) > 1 and s.rows[0][0] <= s.seq - keep: s.floor = s.rows.pop(0)[0]


class Server:
    TAIL = 40
    def __init__(s):
        s.log = Log(); s.ev = {}; s.att = {}; s.task = {}; s.blocks = set(); s.nid = 0; s.epoch = 1; s.epochs = 1
        s.tail = []; s.tail_floor = 0; s.truth = {}; s.ever = set(); s.between = None
    # --- state
    def public(s, e): return not e['priv'] and not e['hid']
    def sees(s, u, i):
        e = s.ev.get(i)
        if e is None: return False
        if e['o'] == u: return True
        if e['hid'] or (u, e['o']) in s.blocks: return False
        return not e['priv'] or any(a['u'] == u and a['e'] == i for a in s.att.values())
    def content(s, e): return (e['o'], e['p'], e['cat'], e['priv'], e['hid'], e['n'])
    # --- writes; each appends to the log what the triggers append, then the tail follows
    def note(s, i, before):
        e = before
        pub = None if e is None else s.public(e) if 'new-flag' not in BAD or i not in s.ev else s.public(s.ev[i])
        p = None if e is None or 'no-place' in BAD else e['p']
        q = s.log.add(1, i, (e or s.ev.get(i))['o'], None, pub, p)
        s.truth[q] = (i, None if e is None else dict(e), set(s.blocks))
    def create(s, o, p, priv, cat):
        s.nid += 1; s.ev[s.nid] = dict(o=o, p=p, priv=priv, hid=False, cat=cat, n=0); s.note(s.nid, None); s.ever.add((o, s.nid))
    def change(s, i, **kw):
        e = s.ev[i]; old = dict(e); e.update(kw); e['n'] += 1; s.note(i, old)
        s.ever.add((e['o'], i))
    def delete(s, i):
        old = s.ev.pop(i); s.note(i, old)
        for a, r in list(s.att.items()):
            if r['e'] == i:
                del s.att[a]
                if 'no-cascade' not in BAD: s.log.add(2, a, r['u'], i)
    def attend(s, u, i):
        if any(r['u'] == u and r['e'] == i for r in s.att.values()): return
        s.nid += 1; s.att[s.nid] = dict(u=u, e=i); s.log.add(2, s.nid, u, i); s.ever.add((u, i))
    def reassign(s, a, u):
        r = s.att[a]
        if r['u'] == u or any(x['u'] == u and x['e'] == r['e'] for x in s.att.values()): return
        s.log.add(2, a, r['u'], r['e']); r['u'] = u; s.ever.add((u, r['e']))
        if 'no-new-row' not in BAD: s.log.add(2, a, u, r['e'])
    def cancel(s, a): r = s.att.pop(a); s.log.add(2, a, r['u'], r['e'])
    def block(s, u, o):
        (s.blocks.discard if (u, o) in s.blocks else s.blocks.add)((u, o))
        if 'no-block-row' not in BAD: s.log.add(4, o, u)
    def put_task(s, u, t):
        s.task[t] = (u, s.task.get(t, (u, 0))[1] + 1); s.log.add(3, t, u)
    def del_task(s, t): u = s.task.pop(t)[0]; s.log.add(3, t, u)
    def truncate(s): s.ev.clear(); s.att.clear(); s.log.add(9)
    def bulk(s, r):
        for e in s.ev.values(): e['p'] = r.randint(0, 9); e['n'] += 1
        if 'no-bulk-row' not in BAD: s.log.add(9)
    # --- the tail: rows with the place after the change, and the owner of an attendance's event
    def follow(s):
        last = s.tail[-1][0][0] if s.tail else s.tail_floor
        for r in [r for r in s.log.rows if r[0] > last]: s.tail.append((r, s.after(r)))
        while len(s.tail) > s.TAIL: s.tail_floor = s.tail.pop(0)[0][0]
    def after(s, r):
        if r[1] == 1: e = s.ev.get(r[2]); return (e['p'] if e and 'no-after' not in BAD else None, e['o'] if e else None)
        if r[1] == 2: e = s.ev.get(r[4]); return (None, e['o'] if e else None)
        return (None, None)
    def restart(s):
        rows = s.log.rows[-s.TAIL:]
        s.tail_floor = rows[0][0] - 1 if rows else s.log.seq
        if len(rows) == len(s.log.rows): s.tail_floor = s.log.floor
        s.tail = [(r, s.after(r)) for r in rows]
    def last(s): return s.tail[-1][0][0] if s.tail else s.tail_floor
    # --- views
    def in_view(s, f, t, i):
        """Content of a record if the filter shows it now, else None."""
        if f[0] == 'region':
            e = s.ev.get(i) if t == 'event' else None
            ok = e and s.public(e) and f[1] <= e['p'] <= f[2] and (f[3] is None or e['cat'] == f[3]) and (f[4], e['o']) not in s.blocks
            return s.content(e) if ok else None
        u = f[1]
        if f[0] == 'todo':
            k = s.task.get(i) if t == 'task' else None
            return k if k and k[0] == u else None
        if t == 'event':
            e = s.ev.get(i)
            if e is None: return None
            if e['o'] == u: return s.content(e)
            return s.content(e) if s.sees(u, i) and any(a['u'] == u and a['e'] == i for a in s.att.values()) else None
        if t == 'attendance':
            a = s.att.get(i); e = a and s.ev.get(a['e'])
            if e is None: return None
            if a['u'] == u: return (u, a['e']) if s.sees(u, a['e']) else None
            return (a['u'], a['e']) if e['o'] == u else None
    def view(s, f):
        v = {}
        for t, ids in (('event', s.ev), ('attendance', s.att), ('task', s.task)):
            for i in ids:
                c = s.in_view(f, t, i)
                if c is not None: v[(t, i)] = c
        return v
    def put(s, f, t, i, op):
        c = s.in_view(f, t, i)
        if c is None: return None
        if 'stale-check' in BAD and s.between: s.between(); e = s.ev.get(i); c = s.content(e) if t == 'event' and e else c
        ev = None
        if t == 'attendance' and c[0] == f[1]: ev = (c[1], s.content(s.ev[c[1]]))
        if f[0] == 'region' and t == 'event': s.check_shown(f, i, c)
        return (op, t, i, c, ev)
    def check_shown(s, f, i, c):
        o, p, cat, priv, hid, _ = c
        if priv or hid or not f[1] <= p <= f[2] or (f[3] is not None and cat != f[3]) or (f[4], o) in s.blocks: raise Leak('shown', f, i, c)
    # --- GET /v1/changes. A cursor is (epoch, number) or (epoch, number, phase, id) while the snapshot lasts
    def changes(s, f, cur, limit):
        s.follow()
        user = f[4] if f[0] == 'region' else f[1]
        if cur is None: cur = (s.epoch, s.last(), 1, 0)
        if cur[0] != s.epoch or (cur[1] < s.tail_floor and 'no-410' not in BAD) or cur[1] > s.last(): return None
        C = s.last()
        rows = [x for x in s.tail if x[0][0] > cur[1]]
        for r, (_, owner) in rows:
            if r[1] == 9 or (r[1] == 4 and r[3] == user and f[0] != 'todo'): return None
            if f[0] == 'mine' and r[1] == 1 and owner not in (None, r[3]) and user in (owner, r[3]) and 'no-owner-rule' not in BAD: return None      # another owner
        if s.between and 'late-cut' not in BAD: s.between()          # what follows reads a state that is later than C
        if len(cur) == 4: return s.snapshot(f, cur, limit, C)
        out, end, more = s.delta(f, user, cur[1], rows, limit, C)
        if 'late-cut' in BAD:                                         # the state first, then the cut
            if s.between: s.between()
            s.follow()
            if not more: end = s.last()
        return out, (s.epoch, end), more
    def snapshot(s, f, cur, limit, C):
        _, L, phase, at = cur
        if f[0] == 'region': parts = [sorted(('event', i) for i in s.ev)]
        elif f[0] == 'todo': parts = [sorted(('task', i) for i in s.task)]
        else:
            u = f[1]
            parts = [sorted(('event', i) for i, e in s.ev.items() if e['o'] == u),
                     sorted(('attendance', a) for a, r in s.att.items() if r['u'] == u),
                     sorted(('attendance', a) for a, r in s.att.items() if r['u'] != u and s.ev.get(r['e'], {}).get('o') == u)]
        out = []; looked = 0
        while phase <= len(parts):
            for t, i in parts[phase - 1]:
                if i <= at: continue
                if looked >= limit: return out, (s.epoch, L, phase, at), True
                looked += 1; at = i; x = s.put(f, t, i, 'enter')
                if x: out.append(x)
                if s.between: s.between()
            phase, at = phase + 1, 0
        end = C if 'handover-at-end' in BAD else L
        return out, (s.epoch, end), end < s.last()
    def delta(s, f, user, since, rows, limit, C):
        # candidates in the order of their last row, at most `limit` of them
        cand = {}; end = C; more = False
        mine = {a['e'] for a in s.att.values() if a['u'] == user} if f[0] == 'mine' else ()
        for r, (after_p, after_o) in rows:
            q, kind, rec, ruser, ev, pub, p = r
            keys = []
            if f[0] == 'region' and kind == 1:
                was = pub and p is not None and f[1] <= p <= f[2]
                if was or (after_p is not None and f[1] <= after_p <= f[2]):
                    keys = [('event', rec, bool(was and (user, ruser) not in s.blocks))]
                if not keys and 'leave-to-all' in BAD: keys = [('event', rec, True)]
            elif f[0] == 'mine':
                if kind == 1 and ruser == user: keys = [('event', rec, True)]
                elif kind == 1 and rec in mine:
                    keys = [('attendance', a, False) for a, x in s.att.items() if x['u'] == user and x['e'] == rec] + [('event', rec, True)]
                elif kind == 2 and ruser == user: keys = [('attendance', rec, True)] + ([] if 'no-event-leave' in BAD else [('event', ev, True)])
                elif kind == 2 and after_o == user: keys = [('attendance', rec, True)]
            elif f[0] == 'todo' and kind == 3 and ruser == user: keys = [('task', rec, True)]
            for t, i, was in keys:
                x = cand.pop((t, i), None)
                cand[(t, i)] = (x[0] if x else was, was or bool(x and x[1]), q)
            if len(cand) >= limit and q < C: end = q; more = True; break
        out = []
        for (t, i), (first_was, any_was, q) in cand.items():
            if s.between: s.between()
            x = s.put(f, t, i, 'change' if first_was else 'enter')
            if x and t == 'event' and f[0] == 'mine' and s.ev[i]['o'] != user: continue      # its attendance contains it
            if x: out.append(x)
            elif any_was or ('leave-to-all' in BAD):
                if f[0] == 'region': s.check_leave(f, i, since)
                if f[0] == 'mine' and t == 'event' and (user, i) not in s.ever: raise Leak('leave', f, i)
                out.append(('leave', t, i))
        return out, end, more
    def check_leave(s, f, i, since):
        for q, (j, e, blocks) in s.truth.items():
            if q > since and j == i and e and s.public(e) and f[1] <= e['p'] <= f[2] and ((f[4], e['o']) not in blocks or (f[4], e['o']) not in s.blocks): return
        raise Leak('leave of what was not shown', f, i)


class Leak(Exception): pass


class Client:
    def __init__(c, f): c.f = f; c.cur = None; c.v = {}; c.staged = None; c.resets = 0; c.ops = []
    def apply(c, v, out):
        for x in out:
            if x[0] == 'leave':
                v.pop((x[1], x[2]), None)
                if x[1] == 'event':
                    for k in [k for k, z in v.items() if k[0] == 'attendance' and z[1] == x[2]]: v.pop(k)
            else:
                v[(x[1], x[2])] = x[3]
                if x[4]: v[('event', x[4][0])] = x[4][1]
    def page(c, s, limit, r=None):
        got = s.changes(c.f, c.cur, limit)
        if got is None: c.cur = None; c.staged = {}; c.resets += 1; return True
        out, cur, more = got
        if r and r.random() < .05: return True                       # the response is lost, or the client is killed before its commit
        if 'cursor-first' in BAD and r and r.random() < .05: c.cur = cur; return True
        c.ops = [x[0] for x in out if x[1] == 'event']
        c.apply(c.v if c.staged is None else c.staged, out); c.cur = cur
        if c.staged is not None and not more: c.v, c.staged = c.staged, None
        return more


def operate(r, s):
    k = r.random(); e = r.choice(list(s.ev)) if s.ev else None
    if e is None or k < .2: s.create(r.randint(1, 3), r.randint(0, 9), r.random() < .3, r.randint(0, 1))
    elif k < .3: s.change(e)
    elif k < .45: s.change(e, p=r.randint(0, 9))
    elif k < .5: s.change(e, cat=r.randint(0, 1))
    elif k < .57: s.change(e, priv=not s.ev[e]['priv'])
    elif k < .62: s.change(e, hid=not s.ev[e]['hid'])
    elif k < .64: s.change(e, o=r.randint(1, 3))
    elif k < .70: s.delete(e)
    elif k < .84: s.attend(r.randint(1, 3), e)
    elif k < .90: s.att and s.cancel(r.choice(list(s.att)))
    elif k < .91: s.att and s.reassign(r.choice(list(s.att)), r.randint(1, 3))
    elif k < .92: s.block(r.randint(1, 3), r.randint(1, 3))
    elif k < .96: t = r.randint(1, 6); s.put_task(1 + t % 2, t)
    elif k < .98: s.task and s.del_task(r.choice(list(s.task)))
    elif k < .983: s.truncate()
    elif k < .986: s.bulk(r)


FILTERS = [('region', 3, 6, None, None), ('region', 0, 4, 1, None), ('region', 2, 9, None, 1), ('region', 0, 9, 0, 2), ('mine', 1), ('mine', 2), ('todo', 1)]


def feed(seed, runs=70):
    r = random.Random(seed); s = Server(); cs = [Client(f) for f in FILTERS]; saved = None; budget = [0]
    if seed % 3 == 0: s.TAIL = 10000
    def between():
        if budget[0] > 0 and r.random() < .15: budget[0] -= 1; operate(r, s)
    s.between = between if seed % 2 else None
    for step in range(runs):
        for _ in range(r.randint(1, 2)): operate(r, s)
        if r.random() < .3: s.follow()
        if r.random() < .05: s.log.prune(r.choice([10, 30, 80]))
        if r.random() < .05: s.restart()
        if r.random() < .02: saved = copy.deepcopy((s.log, s.ev, s.att, s.task, s.blocks, s.nid))
        if saved and r.random() < .02:                                # a restore, or a failover that lost the end of the log
            s.log, s.ev, s.att, s.task, s.blocks, s.nid = copy.deepcopy(saved); s.restart()
            if 'no-epoch' not in BAD: s.epochs += 1; s.epoch = s.epochs
        if r.random() < .02: cs[r.randrange(len(cs))] = Client(r.choice(FILTERS))      # a client starts over
        for c in cs:
            if r.random() < .5:
                budget[0] = 3; before = c.cur
                more = c.page(s, r.randint(1, 4), r)
                if not more and s.between is None and c.cur != before and c.staged is None and c.v != s.view(c.f):
                    return 'more is false, and client %r has %r, the view is %r' % (c.f, c.v, s.view(c.f))
    s.between = None; resets = 0
    for c in cs:
        for _ in range(3000):
            if not c.page(s, r.randint(1, 4)): break
        if c.staged is not None or c.v != s.view(c.f): return 'client %r has %r, the view is %r' % (c.f, c.v, s.view(c.f))
        resets += c.resets
    feed.resets = getattr(feed, 'resets', 0) + resets


def geofence(seed):
    """A stream that keeps up reports exactly the transitions of a region without further conditions."""
    r = random.Random(seed); s = Server(); c = Client(('region', 3, 6, None, None))
    while c.page(s, 4): pass
    for _ in range(80):
        before = s.view(c.f); operate(r, s); s.follow(); after = s.view(c.f); c.ops = []; resets = c.resets
        while c.page(s, 5): pass
        if c.resets > resets: continue
        want = sorted(['enter' for k in after if k not in before] + ['leave' for k in before if k not in after]
                      + ['change' for k in after if k in before and after[k] != before[k]])
        if sorted(c.ops) != want: return 'ops %r, transitions %r' % (c.ops, want)


def webhook(seed):
    """One webhook with a fake clock: outages of hours, lost responses, kills; the receiver drops known ids and applies the rest in order."""
    r = random.Random(seed); s = Server(); f = r.choice([('region', 0, 9, None, None), ('region', 2, 6, None, None)])
    row = dict(cursor=0, to=None, at=None, tries=0, next=0, since=None, off=False, epoch=1); got = {}; ids = set(); now = 0; down = (0, 0); saved = None
    DELAYS = [5, 15, 60, 300, 900]; webhook.resets = getattr(webhook, 'resets', 0)
    news = set()
    def fail():
        row['since'] = now if row['since'] is None else row['since']
        row['next'] = now + DELAYS[min(row['tries'], 4)] * (.8 + .4 * r.random()); row['tries'] += 1
        if now - row['since'] > 7 * 86400: row['off'] = True
    def prepare():
        """Fixes what the next message contains: ('reset', n), ('part', n, last id) or ('changes', n). Committed before the first byte."""
        if (row['cursor'] < s.log.floor and 'no-reset' not in BAD) or (row['epoch'] != s.epoch and 'no-epoch-reset' not in BAD):
            return ('reset', s.log.seq if 'reset-to-end' in BAD else max(row['cursor'], s.log.floor))
        if row['at'] is not None:
            part = sorted(i for i in s.ev if i > row['at'])[:r.randint(1, 3)]
            if part: return ('part', row['cursor'], part[-1])
            row['at'] = None
        ahead = [x for x in s.log.rows if x[0] > row['cursor']][:r.randint(1, 4)]
        if not ahead: return None
        if ahead[0][1] == 9 and 'no-reset' not in BAD: return ('reset', ahead[0][0])
        stop = next((k for k, x in enumerate(ahead) if x[1] == 9), len(ahead))
        return ('changes', ahead[max(stop, 1) - 1][0])
    def done():
        m = row['to']
        if m[0] == 'part': row['at'] = m[2]
        else: row['cursor'] = m[1]
        if m[0] == 'reset': row['at'] = 0; row['epoch'] = s.epoch; webhook.resets += 1
        row['to'] = None
    def attempt():
        nonlocal got
        if row['off'] or now < row['next']: return
        if row['to'] is None or 'moving-range' in BAD: row['to'] = prepare()
        m = row['to']
        if m is None: return
        if m[0] == 'changes' and row['cursor'] < s.log.floor and 'blind-retry' not in BAD: m = row['to'] = prepare()      # its rows are gone
        if row['epoch'] != s.epoch and m[0] != 'reset': m = row['to'] = prepare()
        if m is None: return
        if r.random() < .05: return                                   # killed here
        if m[0] == 'changes':
            rows = [(x, s.after(x)) for x in s.log.rows if row['cursor'] < x[0] <= m[1]]
            out, _, _ = s.delta(f, None, row['cursor'], rows, 99, m[1])
        elif m[0] == 'part': out = [x for i in sorted(s.ev) if row['at'] < i <= m[2] for x in [s.put(f, 'event', i, 'enter')] if x]
        row_cursor = row['cursor']
        mid = (0 if 'id-no-epoch' in BAD else s.epoch,) + (('changes', row['cursor']) if 'moving-range' in BAD else m)
        if 'ack-first' in BAD: done()
        if down[0] <= now < down[1] or r.random() < .2: return fail()  # refused, 500, timeout before it was read
        if mid not in ids:
            ids.add(mid)
            if m[0] == 'changes': news.update(x[0] for x in s.log.rows if row_cursor < x[0] <= m[1])
            if m[0] == 'reset': got = {}
            else:
                for x in out:
                    if x[0] == 'leave': got.pop((x[1], x[2]), None)
                    else: got[(x[1], x[2])] = x[3]
        if r.random() < .15: return fail()                            # the 2xx was lost
        if r.random() < .05: return                                   # killed before its commit
        if row['to'] is not None: done()
        row.update(tries=0, since=None, next=now)
    for _ in range(120):
        operate(r, s); now += r.choice([1, 30, 600, 7200])
        if r.random() < .05: down = (now, now + r.choice([60, 7200, 86400, 3 * 86400]))
        if r.random() < (.3 if down[1] > now else .01): s.log.prune(r.choice([3, 30]))      # the count limit
        if r.random() < .02: saved = copy.deepcopy((s.log, s.ev, s.att, s.task, s.blocks, s.nid, dict(row)))
        if saved and r.random() < .02:      # restore, or a failover that lost the end: the receiver has changes that the database has lost
            s.log, s.ev, s.att, s.task, s.blocks, s.nid, old = copy.deepcopy(saved); row.update(old); row['next'] = now; s.epochs += 1; s.epoch = s.epochs
            news = {x for x in news if x <= row['cursor']}
        attempt()
    down = (0, 0)
    for _ in range(4000):
        now += 1000; attempt()
        if row['off']: return 'disabled within 7 days'
        if row['to'] is None and row['at'] is None and row['cursor'] >= s.log.seq: break
    want = s.view(f); missed = [x[0] for x in s.log.rows if x[1] == 1 and x[0] not in news]
    if missed: return 'rows %r were in no message' % missed[:3]
    if got != want: return 'receiver has %r, the view is %r' % (got, want)


def keys(seed):
    """Outbox and Idempotency-Key: each write of the person is executed exactly once, whatever is lost or killed."""
    r = random.Random(seed); executed = {}; stored = {}; outbox = []; n = 0; done = set()
    for step in range(200):
        if r.random() < .3: n += 1; outbox.append(['key%d' % n, n])
        if not outbox: continue
        key, what = outbox[0]
        if 'key-per-try' in BAD: key = 'try%d' % step
        if r.random() < .15: continue                                 # the request is lost
        if key in stored: pass                                        # replayed
        else:
            executed[what] = executed.get(what, 0) + 1
            if 'key-later' in BAD and r.random() < .1: continue       # killed between the write's commit and the key's
            stored[key] = what
        if r.random() < .2: continue                                  # killed after the commit, or the response is lost
        outbox.pop(0); done.add(what)
    for w in done:
        if executed.get(w) != 1: return 'write %d executed %r times' % (w, executed.get(w))


def order(seed):
    """Several writers on PostgreSQL: a reader that passes a number never sees a lower one appear later."""
    r = random.Random(seed); seq = 0; lock = None; visible = set(); seen = 0
    writers = [dict(left=0, nums=[]) for _ in range(4)]
    for _ in range(400):
        w = r.choice(writers)
        if w['left'] == 0 and not w['nums']: w['left'] = r.randint(1, 4)             # a transaction with changes
        elif w['left'] > 0 and 'no-lock' in BAD: seq += 1; w['nums'].append(seq); w['left'] -= 1
        elif w['left'] > 0 and lock is None: lock = w                                 # COMMIT: deferred triggers take the lock,
        elif w['left'] > 0 and lock is w: seq += 1; w['nums'].append(seq); w['left'] -= 1   # and number the rows
        elif w['left'] == 0 and w['nums']:                                            # visible first, then unlocked
            visible |= set(w['nums']); w['nums'] = []
            if lock is w: lock = None
        if r.random() < .5:
            if any(q <= seen for q in visible - order.read): return 'a number below %d appeared late' % seen
            order.read |= visible; seen = max(visible, default=0)
order.read = set()


PARTS = dict(feed=feed, geofence=geofence, webhook=webhook, keys=keys, order=order)
TWINS = [('no-place', 'feed'), ('new-flag', 'feed'), ('no-cascade', 'feed'), ('no-block-row', 'feed'), ('no-owner-rule', 'feed'), ('no-410', 'feed'),
         ('no-epoch', 'feed'), ('late-cut', 'feed'), ('handover-at-end', 'feed'), ('no-after', 'feed'), ('no-event-leave', 'feed'), ('no-new-row', 'feed'), ('leave-to-all', 'feed'),
         ('stale-check', 'feed'), ('cursor-first', 'feed'), ('no-bulk-row', 'feed'), ('no-reset', 'webhook'), ('blind-retry', 'webhook'), ('no-epoch-reset', 'webhook'), ('reset-to-end', 'webhook'), ('moving-range', 'webhook'), ('id-no-epoch', 'webhook'), ('ack-first', 'webhook'),
         ('key-per-try', 'keys'), ('key-later', 'keys'), ('no-lock', 'order')]


def attempt(part, seed):
    order.read = set()
    try: return PARTS[part](seed)
    except Leak as e: return 'leak: %r' % (e.args,)

