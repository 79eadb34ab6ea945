// The sum of (positive - probability) over the ranks up to a weight is a line within a group; a window is the
// difference of two of them.
#include <algorithm>
#include <cmath>
#include <vector>

#include "rank/rank_measures.hpp"

namespace calibrant {
namespace {

// The sum of |first + i step| for i = 0 .. n - 1: a line that may change its sign once.
double sum_of_sizes(double first, double step, double n) {
    const auto sum = [&](double from, double to) { return (to - from) * (first + step * (from + to - 1) / 2); };
    const double last = first + step * (n - 1);
    if (n == 1) return std::abs(first);
    if ((first >= 0) == (last >= 0)) return std::abs(sum(0, n));
    const double turn = std::clamp(std::ceil(-first / step), 1.0, n - 1);
    return std::abs(sum(0, turn)) + std::abs(sum(turn, n));
}

struct Piece {
    double end, at_end, slope;  // the rank where it ends, the sum there, and how it rises up to there
    double at(double rank) const { return at_end - (end - rank) * slope; }
};

// Pieces are added at the end of the windows and dropped at their start.
class Windows {
  public:
    explicit Windows(double width) : width_(width) {}

    void add(const Piece& piece) {
        pieces_.push_back(piece);
        while (start_ + width_ <= piece.end) {
            while (pieces_[tail_].end <= start_) ++tail_;
            drop_passed();
            const Piece& behind = pieces_[tail_];
            const double last = std::min(std::ceil(behind.end) - 1, std::floor(piece.end - width_));
            const double n = last - start_ + 1, first = piece.at(start_ + width_) - behind.at(start_);
            sum_ += sum_of_sizes(first, piece.slope - behind.slope, n);
            start_ += n;
        }
    }
    double mean() const { return sum_ / start_ / width_; }
    bool any() const { return start_ > 0; }

  private:
    void drop_passed() {
        constexpr std::size_t many = 4096;
        if (tail_ < many) return;
        pieces_.erase(pieces_.begin(), pieces_.begin() + static_cast<std::ptrdiff_t>(tail_));
        tail_ = 0;
    }
    double width_, start_ = 0, sum_ = 0;
    std::size_t tail_ = 0;
    std::vector<Piece> pieces_;
};

}  // namespace

double window_calibration(const Ranking& ranking, double width) {
    Windows windows(width);
    double rank = 0, sum = 0;
    ranking.for_each_group_upwards([&](const ScoreGroup& group) {
        const double surplus = group.positive - group.score * group.weight;
        rank += group.weight;
        sum += surplus;
        windows.add({rank, sum, surplus / group.weight});
    });
    return windows.any() ? windows.mean() : std::abs(sum) / rank;
}

}  // namespace calibrant
