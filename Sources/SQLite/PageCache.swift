import CSQLite

/// A layer on top of SQLite's page cache that leaves out needless searches for pages to discard
/// (<https://sqlite.org/c3ref/pcache_methods2.html>).
///
/// After each commit, SQLite discards the cached pages beyond the end of the database. Its own
/// cache does nothing then if no page had such a number. But to sort the pages of a split node,
/// SQLite gives one of them the number of the lock-byte page for a moment, and the next commit then
/// looks at all cached pages. `GreatestPage` forgets that number as soon as the page is moved on.
@safe
enum PageCache {
    /// SQLite's own cache of a file, and the pages that it may have.
    @safe
    private struct Cache {
        let base: OpaquePointer
        var greatestPage: GreatestPage
    }

    /// The methods of SQLite's own cache; all are nil if they can't be read.
    ///
    /// They are read once and never changed.
    private nonisolated(unsafe) static let base = {
        var methods = unsafe sqlite3_pcache_methods2()
        _ = unsafe humon_sqlite3_page_cache_methods(&methods)
        return unsafe methods
    }()

    /// Adds the layer, before the first connection; returns whether that succeeded.
    static func addLayer() -> Bool {
        guard unsafe base.xCreate != nil else { return false }
        var methods = unsafe methods()
        return unsafe humon_sqlite3_set_page_cache_methods(&methods) == SQLITE_OK
    }

    /// Returns the methods of the layer on `base`, which must have been read before SQLite was
    /// initialized.
    static func methods() -> sqlite3_pcache_methods2 {
        var methods = unsafe base
        unsafe methods.xCreate = { pageBytes, extraBytes, isPurgeable in
            guard let base = unsafe PageCache.base.xCreate(pageBytes, extraBytes, isPurgeable)
            else { return nil }
            let cache = UnsafeMutablePointer<Cache>.allocate(capacity: 1)
            let greatestPage = GreatestPage(bytesPerPage: Int(pageBytes))
            unsafe cache.initialize(to: Cache(base: base, greatestPage: greatestPage))
            return OpaquePointer(cache)
        }
        unsafe methods.xDestroy = { cache in
            guard let cache = unsafe PageCache.cache(cache) else { return }
            unsafe PageCache.base.xDestroy(cache.pointee.base)
            unsafe cache.deallocate()
        }
        unsafe methods.xCachesize = { cache, count in
            guard let cache = unsafe PageCache.cache(cache) else { return }
            unsafe PageCache.base.xCachesize(cache.pointee.base, count)
        }
        unsafe methods.xPagecount = { cache in
            guard let cache = unsafe PageCache.cache(cache) else { return 0 }
            return unsafe PageCache.base.xPagecount(cache.pointee.base)
        }
        unsafe methods.xFetch = { cache, number, creates in
            guard let cache = unsafe PageCache.cache(cache) else { return nil }
            if creates != 0 { unsafe cache.pointee.greatestPage.noteNewPage(number) }
            return unsafe PageCache.base.xFetch(cache.pointee.base, number, creates)
        }
        unsafe methods.xUnpin = { cache, page, discards in
            guard let cache = unsafe PageCache.cache(cache) else { return }
            unsafe PageCache.base.xUnpin(cache.pointee.base, page, discards)
        }
        unsafe methods.xRekey = { cache, page, old, new in
            guard let cache = unsafe PageCache.cache(cache) else { return }
            unsafe cache.pointee.greatestPage.noteMove(from: old, to: new)
            unsafe PageCache.base.xRekey(cache.pointee.base, page, old, new)
        }
        unsafe methods.xTruncate = { cache, first in
            guard let cache = unsafe PageCache.cache(cache),
                unsafe cache.pointee.greatestPage.noteRemoval(from: first)
            else { return }
            unsafe PageCache.base.xTruncate(cache.pointee.base, first)
        }
        unsafe methods.xShrink = { cache in
            guard let cache = unsafe PageCache.cache(cache) else { return }
            unsafe PageCache.base.xShrink(cache.pointee.base)
        }
        return unsafe methods
    }

    private static func cache(_ pointer: OpaquePointer?) -> UnsafeMutablePointer<Cache>? {
        unsafe pointer.map { unsafe UnsafeMutablePointer<Cache>($0) }
    }
}

/// The greatest number that a page of a cache may have.
struct GreatestPage {
    /// The page with the byte at 1 GiB, which has no content
    /// (<https://sqlite.org/fileformat2.html#the_lock_byte_page>).
    private let lockBytePage: UInt32
    /// Whether a page was moved to the lock-byte page, and not moved on.
    private var isLockBytePageInUse = false
    /// The greatest number of another page.
    private var number: UInt32 = 0

    /// Begins with an empty cache for pages of this size.
    init(bytesPerPage: Int) {
        lockBytePage = UInt32(clamping: (1 << 30) / max(1, bytesPerPage) + 1)
    }

    /// Notes that the cache may create a page.
    mutating func noteNewPage(_ page: UInt32) { number = max(number, page) }

    /// Notes that a page gets another number.
    mutating func noteMove(from old: UInt32, to new: UInt32) {
        if old == lockBytePage { isLockBytePageInUse = false }
        if new == lockBytePage { isLockBytePageInUse = true } else { noteNewPage(new) }
    }

    /// Notes that no page from this number on remains; returns whether there may have been one.
    mutating func noteRemoval(from first: UInt32) -> Bool {
        guard first <= number || isLockBytePageInUse && first <= lockBytePage else { return false }
        number = min(number, max(first, 1) - 1)
        if first <= lockBytePage { isLockBytePageInUse = false }
        return true
    }
}
