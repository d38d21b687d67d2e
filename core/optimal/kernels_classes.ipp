// Scans for more than two classes whose mistakes cost the same: a cut is as good as the number of rows that it recognises, those
// of the most frequent class before it and of the most frequent one after it. Included by kernels.ipp.

/// A side on the way through a column.
struct ClassSide {
    Cost* before;  // rows of each class up to a place
    const Cost* all;
    Cost n_rows = 0, most;  // only a cut that recognises more than `most` is better

    ClassSide(const Side& side, Cost* scratch, int width, Cost each) : before(scratch), all(side.sums) {
        for (int k = 0; k < width; ++k) before[k] = 0;
        for (int k = 0; side.wanted && k < width; ++k) n_rows += all[k];
        most = side.wanted && side.best > 0 ? n_rows - (side.best - 1) / each - 1 : n_rows;
    }
    /// Whether a cut inside a block may be better: of its rows each may be recognised, if those before and those after it keep
    /// their classes, or only those of one class on either branch.
    bool may_improve(const Cost* block, int width) const {
        Cost before_it = 0, with_it = 0, after_it = 0, from_it = 0, n_here = 0;
        for (int k = 0; k < width; ++k) {
            const Cost rest = all[k] - before[k];
            n_here += block[k];
            before_it = before[k] > before_it ? before[k] : before_it;
            with_it = before[k] + block[k] > with_it ? before[k] + block[k] : with_it;
            from_it = rest > from_it ? rest : from_it;
            after_it = rest - block[k] > after_it ? rest - block[k] : after_it;
        }
        return (before_it + n_here + after_it > most) & (with_it + from_it > most);
    }
    void look(const uint64_t* classes, int width, uint64_t rows, uint64_t ends) {
        if (!ends) return;
        Cost best = 0;
        if constexpr (has_byte_sums) {
            best = most_recognised(classes, width, rows, ends, before, all);
        } else {
            for (uint64_t left = ends; left; left &= left - 1) {
                const uint64_t upto = rows & (left ^ (left - 1));
                Cost most_before = 0, most_after = 0;
                for (int k = 0; k < width; ++k) {
                    const Cost n = before[k] + static_cast<Cost>(count_bits(upto & classes[k])), rest = all[k] - n;
                    most_before = n > most_before ? n : most_before;
                    most_after = rest > most_after ? rest : most_after;
                }
                if (most_before + most_after > best) best = most_before + most_after;
            }
        }
        if (best > most) most = best;
    }
};

template <class Left>
void class_rows(Scan& scan) {
    const Left on_left(scan);
    const int width = scan.loss->width();
    const Cost each = scan.loss->each();
    ClassSide side[2] = {{scan.left, scan.scratch, width, each}, {scan.right, scan.scratch + width, width, each}};
    const Cost most[2] = {side[0].most, side[1].most};
    const bool wanted[2] = {scan.left.wanted, scan.right.wanted};
    Cost* block[2] = {scan.scratch + 2 * width, scan.scratch + 3 * width};
    for (uint32_t b = 0; b < scan.n_blocks; ++b) {
        const uint64_t rows = on_left(b), others = ~rows & scan.rows_of(b);
        const uint64_t* classes = scan.column.classes + size_t{b} * static_cast<size_t>(width);
        const uint8_t* n_classes = scan.column.n_classes + size_t{b} * static_cast<size_t>(width);
        for (int k = 0; k < width; ++k) {
            block[0][k] = static_cast<Cost>(count_bits(rows & classes[k]));
            block[1][k] = n_classes[k] - block[0][k];
        }
        for (int s = 0; s < 2; ++s) {
            if (!wanted[s]) continue;
            if (side[s].may_improve(block[s], width)) side[s].look(classes, width, s ? others : rows, scan.column.ends[b]);
            for (int k = 0; k < width; ++k) side[s].before[k] += block[s][k];
        }
    }
    if (side[0].most > most[0]) scan.left.best = (side[0].n_rows - side[0].most) * each;
    if (side[1].most > most[1]) scan.right.best = (side[1].n_rows - side[1].most) * each;
}
